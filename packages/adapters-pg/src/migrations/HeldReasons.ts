/**
 * The list of held alerts reads only the SLOs that have any, whatever the reason. `slos_past_changes`, which it no longer uses, was of
 * those whose past has changed. Alerts that were held before are listed from their next evaluation on.
 */
export const heldReasons: ReadonlyArray<string> = [
  `CREATE INDEX slos_held ON slos (organization, project, name) WHERE strpos(evaluation, '"heldSince":') > 0`,
  `DROP INDEX slos_past_changes`,
]
