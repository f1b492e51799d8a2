// The tables of webhooks and of their deliveries.
export const webhookTables = `
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  made INTEGER NOT NULL,
  user_id TEXT,
  deleted INTEGER NOT NULL,
  view TEXT NOT NULL
) STRICT;
CREATE INDEX webhooks_there ON webhooks (made) WHERE deleted = 0;
CREATE TABLE webhook_deliveries (
  webhook TEXT NOT NULL,
  position INTEGER NOT NULL,
  delivery TEXT NOT NULL,
  PRIMARY KEY (webhook, position)
) STRICT, WITHOUT ROWID;
`
