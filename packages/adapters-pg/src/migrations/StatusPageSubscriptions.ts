/** Who is notified of what status pages publish, and what was announced. */
export const statusPageSubscriptions: ReadonlyArray<string> = [
  `CREATE TABLE status_page_subscriptions (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  -- In base64url: HMAC-SHA-256 of the recipient under a key derived from the master key, and SHA-256 of the token of the links.
  contact_hash text COLLATE "C" NOT NULL,
  token_hash text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  -- Either is null: when it was confirmed, and when it is deleted unless it is.
  confirmed_at bigint,
  expires_at bigint,
  -- The contact and the token.
  sealed bytea NOT NULL,
  sealing_key_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization, id)
)`,
  `-- A page has one subscription of a recipient.
CREATE UNIQUE INDEX status_page_subscriptions_by_contact
  ON status_page_subscriptions (organization, project, contact_hash)`,
  `CREATE INDEX status_page_subscriptions_by_project ON status_page_subscriptions (organization, project, id)`,
  `CREATE INDEX status_page_subscriptions_by_token ON status_page_subscriptions (token_hash)`,
  `CREATE INDEX status_page_subscriptions_by_key ON status_page_subscriptions (sealing_key_id)`,
  `-- The pages that have subscriptions. Changes of the subscriptions of a page lock its row.
CREATE TABLE status_page_audiences (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  -- When something new is looked for next.
  due_at bigint NOT NULL,
  PRIMARY KEY (organization, project)
)`,
  `CREATE INDEX status_page_audiences_due ON status_page_audiences (due_at)`,
  `CREATE TABLE status_page_announcements (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- It can be deleted afterwards.
  known_until bigint NOT NULL,
  PRIMARY KEY (organization, project, key)
)`,
]
