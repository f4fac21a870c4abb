/**
 * What the conversion of counts of databases of earlier versions keeps (`ConvertCounts`). Servers of the version before know none of it:
 * they do not write which version of the schema they know.
 */
export const countConversion: ReadonlyArray<string> = [
  `-- While the rows of objectives are copied (count_rows "objective"): the hours before it are in rows of the SLO. While the rows of
-- objectives are deleted (count_rows "slo"): not null.
ALTER TABLE slos ADD COLUMN copied_to bigint`,
  `CREATE INDEX slos_to_convert ON slos (organization, project, name)
WHERE count_rows = 'objective' OR copied_to IS NOT NULL`,
  `-- The version of the schema that the process knows; null: one before this column was added.
ALTER TABLE queue_processes ADD COLUMN schema_version integer`,
  `-- One row once a server has converted counts: which one does, and until when no other one may.
CREATE TABLE count_conversion (
  id integer PRIMARY KEY,
  owner text COLLATE "C" NOT NULL,
  owned_until bigint NOT NULL
)`,
]
