import { createServer } from "node:https"
import { buffer } from "node:stream/consumers"
import { WebhookTransportUndici } from "@tocsin/adapters-egress"
import { webhookTransportContract } from "@tocsin/testing/contracts"
import * as Effect from "effect/Effect"
import { makeCertificates } from "../../../../test/egress/certificates.ts"
import { listen } from "../../../../test/egress/receiver.ts"

const certificates = await makeCertificates()

webhookTransportContract(
  "undici",
  WebhookTransportUndici.layer({ allowCidrs: ["127.0.0.0/8"], caPem: certificates.ca }),
  (answer) =>
    Effect.acquireRelease(
      Effect.promise(() =>
        listen(
          createServer(certificates, async (request, response) => {
            const { method = "", url: target = "", rawHeaders } = request
            const headers = rawHeaders.flatMap((name, index) =>
              index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
            )
            const given = answer({ method, target, headers, body: await buffer(request) })
            if (given === "closes") return request.socket.destroy()
            if (given !== "hangs") return response.writeHead(given.status, given.headers).end(given.body)
          }),
        ),
      ),
      ({ close }) => Effect.promise(close),
    ).pipe(Effect.map(({ port }) => `https://127.0.0.1:${port}`)),
)
