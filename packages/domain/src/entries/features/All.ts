/** The features that take part in changes of definitions, all together. */
export { allParticipants, participantList } from "../../participants/AllParticipants.ts"
