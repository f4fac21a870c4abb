/** The list of held alerts reads only the SLOs whose past has changed: few, and for as long as a condition measures the change. */
export const heldSlos: ReadonlyArray<string> = [
  `CREATE INDEX slos_past_changes ON slos (organization, project, name) WHERE past_changes IS NOT NULL`,
]
