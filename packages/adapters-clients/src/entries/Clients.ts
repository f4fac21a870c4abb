/** The service's public clients: their calls, as a feature of the API, and the form of their documents. */
export { clientParticipants, type ClientOptions } from "../ClientParticipants.ts"
export { clientForm } from "../ClientForm.ts"
export type { ClientRequest, ClientResponse } from "../ClientRequest.ts"
export { clientsApi } from "../ClientsApi.ts"
export { BackfillIsReading } from "../BackfillQueue.ts"
