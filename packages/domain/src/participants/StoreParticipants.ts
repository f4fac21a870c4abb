/**
 * What a store writes beside definitions in the transaction of their change, in the order in which it is written. Every store has
 * these participants. Without its line, nothing of a feature is written.
 */
export const storeParticipants = [
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
] as const

/** The name of one of them. */
export type StoreParticipant = (typeof storeParticipants)[number]
