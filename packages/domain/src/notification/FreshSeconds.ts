/** Longest wait for a second in which the same request was not signed, in seconds. */
export const freshSecondWaitMaxSeconds = 10

/** Most requests of one second that are remembered; others are sent without a check. */
export const freshSecondRequestsMax = 20_000

/**
 * Makes the function that gives each request a second of its own, so that no two signatures are the same: a signature
 * depends on nothing but the request, the key and the second, and a receiver rejects one that it has received before as a
 * replay (spec/signatures §15).
 *
 * `request` is a text for everything else that is signed. Returns the first Unix second from `nowSeconds` on that was not
 * given to an equal one, or `nowSeconds` itself if it is more than `freshSecondWaitMaxSeconds` away. Remembers the present
 * and later seconds only.
 */
export const makeFreshSeconds = () => {
  const requestsBySecond = new Map<number, Set<string>>()
  return (request: string, nowSeconds: number): number => {
    const lastSecond = nowSeconds + freshSecondWaitMaxSeconds
    for (const second of requestsBySecond.keys()) {
      // Later ones are from before the clock was set back.
      if (second < nowSeconds || second > lastSecond) requestsBySecond.delete(second)
    }
    for (let second = nowSeconds; second <= lastSecond; second++) {
      const requests = requestsBySecond.get(second)
      if (requests === undefined) {
        requestsBySecond.set(second, new Set([request]))
        return second
      }
      if (requests.has(request)) continue
      if (requests.size < freshSecondRequestsMax) requests.add(request)
      return second
    }
    return nowSeconds
  }
}
