import { annotations } from "../annotation/AnnotationParticipant.ts"
import { budgetRecord } from "../budget-change/ChangeBudgets.ts"
import { participantsLayer } from "../definition/Participant.ts"
import { unsupportedDocuments } from "../definition/UnsupportedParticipant.ts"
import { statusPages } from "../status-page/StatusPageParticipant.ts"

/** All features that take part in changes of definitions. A host that leaves one out lists the others with `participantsLayer`. */
export const allParticipants = participantsLayer([
  statusPages,
  unsupportedDocuments,
  annotations,
  budgetRecord,
])
