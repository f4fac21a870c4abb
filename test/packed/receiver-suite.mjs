// Runs where the receiver runs: fetches the cases of the tests from a server on loopback, and verifies each with the
// receiver as it is published.
import { createNotificationVerifier, NotificationRejected } from "@tocsin/receiver"
import { fetchHandler } from "@tocsin/receiver/fetch"

/** Returns what differs from what is expected, and how many cases there were. */
export const runSuite = async (baseUrl) => {
  const { nowMs, keys, cases, notification } = await (await fetch(`${baseUrl}/cases`)).json()
  const verifierOf = (fetchKeys) =>
    createNotificationVerifier({
      baseUrl,
      authority: "as received",
      now: () => nowMs,
      replayGuard: { remember: () => true },
      ...(fetchKeys === undefined ? {} : { fetch: fetchKeys }),
    })
  const verifier = verifierOf(async () => Response.json({ keys }))
  const differences = []
  for (const { what, expected, request } of cases) {
    const body = bytesOf(request.body)
    const code = await verifier.verify({ ...request, body }).then(() => "verified", codeOf)
    if (code !== expected) differences.push(`${what}: ${code} instead of ${expected}`)
  }

  // Over the platform's own fetch, from the key endpoint of a server.
  const received = []
  const handle = fetchHandler(
    verifierOf(),
    ({ body }) => received.push(new TextDecoder().decode(body)),
    () => {},
  )
  const post = (change = {}) =>
    handle(
      new Request(notification.url, {
        method: "POST",
        headers: notification.headers,
        body: bytesOf(notification.body),
        ...change,
      }),
    )
  const outcomes = [
    (await post()).status,
    (await post({ body: "{}" })).status,
    (await post({ headers: {} })).status,
    received.join(),
  ].join()
  const expected = [204, 400, 400, new TextDecoder().decode(bytesOf(notification.body))].join()
  if (outcomes !== expected) differences.push(`the handler: ${outcomes} instead of ${expected}`)

  const redirected = createNotificationVerifier({
    baseUrl: `${baseUrl}/redirected`,
    authority: "as received",
    now: () => nowMs,
  })
  const refused = await redirected
    .verify({ ...cases[0].request, body: bytesOf(cases[0].request.body) })
    .then(() => "verified", codeOf)
  if (refused !== "keys_unavailable") differences.push(`a redirect of the keys: ${refused}`)
  return { count: cases.length + 2, differences }
}

const codeOf = (error) => (error instanceof NotificationRejected ? error.code : String(error))

const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
