// The table of the streams whose content is being removed from the tables. `position`: of an event PayloadsErased.
// `done`: how many of the streams that it names have no content any more.
export const erasingTable = `
CREATE TABLE erasing (position INTEGER PRIMARY KEY, streams TEXT NOT NULL, done INTEGER NOT NULL) STRICT;
`
