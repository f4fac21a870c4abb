/** Definitions as they were applied, and the references between them. */
export const definitionTables: ReadonlyArray<string> = [
  `-- One row per organization that ever changed a definition. Changes lock it, so that those of one organization run one
-- after the other; the revision becomes the version of the definitions that the change writes.
CREATE TABLE organizations (
  organization text COLLATE "C" PRIMARY KEY,
  revision bigint NOT NULL
)`,
  `CREATE TABLE definitions (
  organization text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- JSON in the domain's form, without the secrets.
  definition text NOT NULL,
  -- Each label key alone, and each key with each of its values, as JSON arrays of one or two strings.
  labels text[] NOT NULL,
  -- The secrets of an alert method, encrypted, and the key that encrypted them.
  sealed bytea,
  sealing_key_id text,
  version bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (organization, kind, project, name),
  CHECK ((sealed IS NULL) = (sealing_key_id IS NULL))
)`,
  `CREATE INDEX definitions_by_name ON definitions (organization, kind, name, project)`,
  `CREATE INDEX definitions_by_label ON definitions USING gin (labels)`,
  `CREATE INDEX definitions_by_sealing_key ON definitions (sealing_key_id) WHERE sealing_key_id IS NOT NULL`,
  `-- The target of a reference need not exist, so only the referrer is a foreign key.
CREATE TABLE definition_references (
  organization text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  to_kind text COLLATE "C" NOT NULL,
  to_project text COLLATE "C" NOT NULL,
  to_name text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization, kind, project, name, to_kind, to_project, to_name),
  FOREIGN KEY (organization, kind, project, name) REFERENCES definitions ON DELETE CASCADE
)`,
  `CREATE INDEX definition_references_by_target
  ON definition_references (organization, to_kind, to_project, to_name, kind, project, name)`,
]
