/**
 * The names of what takes part in changes of definitions, in the order in which it is written; adapters-pg has the same list. Without
 * its line, nothing of a feature is written.
 */
export const participants: ReadonlyArray<string> = [
  "endpoints",
  "alerts",
  "status pages",
  "kept documents",
  "silence notices",
  "indicators",
  "pushed indicators",
  "report schedules",
  "annotations",
  "change records",
  "history",
]
