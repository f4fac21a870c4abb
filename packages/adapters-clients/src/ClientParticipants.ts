import { type ClientOptions, keptDocuments } from "./KeptDocuments.ts"

export type { ClientOptions }

/** What takes part in changes of definitions for the service's public clients. A host lists it with the features that it has. */
export const clientParticipants = (options: ClientOptions) => [keptDocuments(options)]
