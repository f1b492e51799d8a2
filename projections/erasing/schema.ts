// The table of the streams whose content is being removed from the tables. `position`: of an event PayloadsErased.
// `done`: how many of the streams that it names have no content any more.
export const erasingTable = `
CREATE TABLE erasing (position INTEGER PRIMARY KEY, streams TEXT NOT NULL, done INTEGER NOT NULL) STRICT;
`

/**
 * A row in this table says that the free space of the file may have texts of erased streams. It is written with the first
 * row of `erasing`, and stays until the file is written anew.
 */
export const tracesTable = `
CREATE TABLE traces (one INTEGER PRIMARY KEY CHECK (one = 1)) STRICT;
`
