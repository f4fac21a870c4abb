import { makeCertificates } from "../test/egress/certificates.ts"
import { httpsReceiver } from "../test/egress/receiver.ts"
import { answerParent } from "./ContenderProcess.ts"
import type { Arrivals } from "./QueueReceiver.ts"

/** Where the receiver listens, and the authority to trust. */
export interface SlowPathAddress {
  readonly port: number
  readonly ca: string
}

/** So late does the slow path respond, in milliseconds: within the deadline of an attempt, so that no circuit opens. */
const slowPathMs = 14_000

/** One host over TLS, in a process of its own: its path `/slow` responds with 200 after 14 s, all others at once. */
const certificates = await makeCertificates()
let arrivals: Array<readonly [id: string, at: number]> = []

const { port } = await httpsReceiver(certificates, (request, response) => {
  const isSlow = request.url === "/slow"
  if (!isSlow) arrivals.push([String(request.headers["notification-id"]), Date.now()])
  request.resume()
  request.on("end", () => setTimeout(() => response.writeHead(200).end(), isSlow ? slowPathMs : 0))
})
answerParent({
  address: (): SlowPathAddress => ({ port, ca: certificates.ca }),
  arrivals: (): Arrivals => {
    const taken = arrivals
    arrivals = []
    return taken
  },
})
