// Checks a running server with the verifiers of golang.org/x/mod/sumdb, which are not our code: the signature of the
// checkpoint, every hash of every tile, every header, a proof of inclusion of every event, and proofs of consistency.
package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const prefix = "tile/8/"

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

type server struct{ url, token string }

func (s server) get(path string) ([]byte, error) {
	request, err := http.NewRequest("GET", s.url+"/v1/audit/"+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != 200 {
		err = fmt.Errorf("%s: %s: %s", path, answer.Status, body)
	}
	return body, err
}

func (s server) Height() int { return 8 }

// Paths of C2SP have no height: tile/8/0/005.p/7 is tile/0/005.p/7 there.
func (s server) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		data, err := s.get("tlog/tile/" + strings.TrimPrefix(tile.Path(), prefix))
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func (s server) SaveTiles([]tlog.Tile, [][]byte) {}

// The headers of a tile of leaves: each comes after its length in two bytes.
func (s server) entries(tile tlog.Tile) ([][]byte, error) {
	path := strings.TrimPrefix(tile.Path(), prefix+"0/")
	data, err := s.get("tlog/tile/entries/" + path)
	if err != nil {
		return nil, err
	}
	var entries [][]byte
	for len(data) >= 2 {
		length := int(binary.BigEndian.Uint16(data))
		entries = append(entries, data[2:2+length])
		data = data[2+length:]
	}
	return entries, nil
}

func (s server) hashes(path string) ([]tlog.Hash, error) {
	body, err := s.get(path)
	if err != nil {
		return nil, err
	}
	var found struct{ Hashes []string }
	if err := json.Unmarshal(body, &found); err != nil {
		return nil, err
	}
	hashes := make([]tlog.Hash, len(found.Hashes))
	for n, text := range found.Hashes {
		if hashes[n], err = tlog.ParseHash(text); err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

func (s server) checkpoint(vkey string) (tree tlog.Tree, err error) {
	text, err := s.get("tlog/checkpoint")
	if err != nil {
		return tree, err
	}
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return tree, err
	}
	opened, err := note.Open(text, note.VerifierList(verifier))
	if err != nil {
		return tree, err
	}
	forged := strings.Replace(string(text), "\n\n", "x\n\n", 1)
	if _, err := note.Open([]byte(forged), note.VerifierList(verifier)); err == nil {
		return tree, fmt.Errorf("a forged checkpoint is accepted")
	}
	lines := strings.Split(opened.Text, "\n")
	if lines[0] != verifier.Name() {
		return tree, fmt.Errorf("the checkpoint is of %s", lines[0])
	}
	if tree.N, err = strconv.ParseInt(lines[1], 10, 64); err != nil {
		return tree, err
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	copy(tree.Hash[:], root)
	return tree, err
}

// Checks the headers of every event, and the proof of each of them.
func (s server) checkEvents(tree tlog.Tree, reader tlog.HashReader) error {
	for first := int64(0); first < tree.N; first += 256 {
		tile := tlog.Tile{H: 8, L: 0, N: first / 256, W: 256}
		if tree.N-first < 256 {
			tile.W = int(tree.N - first)
		}
		entries, err := s.entries(tile)
		if err != nil || len(entries) != tile.W {
			return fmt.Errorf("%s: %d entries: %v", tile.Path(), len(entries), err)
		}
		for n, header := range entries {
			index := first + int64(n)
			leaf := tlog.RecordHash(header)
			stored, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, index)})
			if err != nil || stored[0] != leaf {
				return fmt.Errorf("the header of event %d is not in its tile: %v", index+1, err)
			}
			proof, err := s.hashes(fmt.Sprintf("proof?position=%d&tree_size=%d", index+1, tree.N))
			if err != nil {
				return err
			}
			if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index, leaf); err != nil {
				return fmt.Errorf("event %d: %v", index+1, err)
			}
			if tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash([]byte("forged"))) == nil {
				return fmt.Errorf("a forged header of event %d is accepted", index+1)
			}
		}
	}
	return nil
}

func (s server) checkConsistency(tree tlog.Tree, reader tlog.HashReader) (int, error) {
	checked := 0
	for from := int64(1); from <= tree.N; from += 1 + from/7 {
		old, err := tlog.TreeHash(from, reader)
		if err != nil {
			return checked, err
		}
		proof, err := s.hashes(fmt.Sprintf("consistency?from=%d&to=%d", from, tree.N))
		if err != nil {
			return checked, err
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, from, old); err != nil {
			return checked, fmt.Errorf("from %d: %v", from, err)
		}
		old[0] ^= 1
		if tlog.CheckTree(proof, tree.N, tree.Hash, from, old) == nil {
			return checked, fmt.Errorf("a forged tree of %d events is accepted", from)
		}
		checked++
	}
	return checked, nil
}

func run(url, token, vkey string) error {
	s := server{url, token}
	tree, err := s.checkpoint(vkey)
	if err != nil {
		return err
	}
	reader := tlog.TileHashReader(tree, s)
	if root, err := tlog.TreeHash(tree.N, reader); err != nil || root != tree.Hash {
		return fmt.Errorf("the tiles have another root: %v", err)
	}
	if err := s.checkEvents(tree, reader); err != nil {
		return err
	}
	consistent, err := s.checkConsistency(tree, reader)
	if err != nil {
		return err
	}
	fmt.Printf("golang.org/x/mod/sumdb accepts the checkpoint, the tiles, %d headers and their proofs, and %d proofs of consistency\n", tree.N, consistent)
	return nil
}
