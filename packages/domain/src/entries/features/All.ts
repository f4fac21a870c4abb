/** The features that take part in changes of definitions, all together. */
export { allParticipants } from "../../participants/AllParticipants.ts"
