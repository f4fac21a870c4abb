import { makeCertificates } from "../egress/certificates.ts"
import { httpsReceiver } from "../egress/receiver.ts"
import { answerParent } from "./ContenderProcess.ts"

/** Receives over TLS and answers 204, in a process of its own. */
const certificates = await makeCertificates()
const { port } = await httpsReceiver(certificates, (request, response) => {
  request.resume()
  request.on("end", () => response.writeHead(204).end())
})
answerParent({ address: () => ({ port, ca: certificates.ca }) })
