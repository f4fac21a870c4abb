import { setTimeout as wait } from "node:timers/promises"
import { makeCertificates } from "../test/egress/certificates.ts"
import { httpsReceiver } from "../test/egress/receiver.ts"
import { answerParent } from "./ContenderProcess.ts"

/** Where the receiver listens: on one port it answers at once, on the other after 3 s. */
export interface ReceiverAddress {
  readonly port: number
  readonly slowPort: number
  readonly ca: string
}

/** When each notification arrived, in Unix milliseconds, by its ID. */
export type Arrivals = ReadonlyArray<readonly [id: string, at: number]>

/** Receives over TLS and answers 204, in a process of its own. */
const certificates = await makeCertificates()
let arrivals: Array<readonly [id: string, at: number]> = []

const { port } = await httpsReceiver(certificates, (request, response) => {
  arrivals.push([String(request.headers["notification-id"]), Date.now()])
  request.resume()
  request.on("end", () => response.writeHead(204).end())
})
const { port: slowPort } = await httpsReceiver(certificates, async (request, response) => {
  request.resume()
  await wait(3_000)
  response.writeHead(204).end()
})
answerParent({
  address: (): ReceiverAddress => ({ port, slowPort, ca: certificates.ca }),
  arrivals: (): Arrivals => {
    const taken = arrivals
    arrivals = []
    return taken
  },
})
