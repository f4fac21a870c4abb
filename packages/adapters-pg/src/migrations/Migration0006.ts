/** What SLOs are searched by: filled in for those of before from what their records tell. */
export const migration0006: ReadonlyArray<string> = [
  `ALTER TABLE slos ADD COLUMN search_text text COLLATE "C" NOT NULL DEFAULT ''`,
  `UPDATE slos SET search_text =
  lower((name || E'\\n' || coalesce(('{' || tail_json)::json ->> 'displayName', '')) COLLATE "default")`,
]
