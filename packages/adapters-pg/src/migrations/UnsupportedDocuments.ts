/** Documents that are stored as they are given, and have no effect. */
export const unsupportedDocuments: ReadonlyArray<string> = [
  `CREATE TABLE unsupported_documents (
  organization text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  -- Empty for kinds that belong to the organization.
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- JSON, as it was applied, without secrets.
  document text NOT NULL,
  PRIMARY KEY (organization, kind, project, name)
)`,
  `CREATE INDEX unsupported_documents_of_project ON unsupported_documents (organization, project, kind, name)`,
]
