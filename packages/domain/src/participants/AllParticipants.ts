import { annotations } from "../annotation/AnnotationParticipant.ts"
import { budgetRecord } from "../budget-change/ChangeBudgets.ts"
import { participantsLayer } from "../definition/Participant.ts"
import { statusPages } from "../status-page/StatusPageParticipant.ts"

/** All features of the domain that take part in changes of definitions, to which a host adds those of other packages. */
export const participantList = [statusPages, annotations, budgetRecord]

/** `participantList` as a layer. A host that leaves out a feature, or adds one, lists them with `participantsLayer`. */
export const allParticipants = participantsLayer(participantList)
