import * as Effect from "effect/Effect"
import { connect, type Socket } from "node:net"

/** A connection without any client's manners: what is written goes out as it is. */
export interface RawSocket {
  readonly write: (text: string) => void
  /** What has come back once it includes the text; rejects when the connection ends without it. */
  readonly until: (text: string) => Effect.Effect<string>
  /** All that has come back, once the other side has closed. */
  readonly toEnd: Effect.Effect<string>
  readonly socket: Socket
}

/** Opens a connection to a loopback port. */
export const rawSocket = (port: number): Effect.Effect<RawSocket> =>
  Effect.callback((resume) => {
    const socket = connect({ host: "127.0.0.1", port })
    let received = ""
    let isClosed = false
    let listeners: ReadonlyArray<() => void> = []
    const changed = (): void => listeners.forEach((listener) => listener())
    socket.setEncoding("latin1")
    socket.on("data", (text: string) => {
      received += text
      changed()
    })
    socket.on("close", () => {
      isClosed = true
      changed()
    })
    socket.on("error", changed)
    const when = (isDone: () => boolean): Effect.Effect<string> =>
      Effect.callback((resume) => {
        const check = (): void => {
          if (!isDone() && !isClosed) return
          listeners = listeners.filter((listener) => listener !== check)
          resume(isDone() ? Effect.succeed(received) : Effect.die(new Error(`closed after ${received}`)))
        }
        listeners = [...listeners, check]
        check()
      })
    socket.on("connect", () =>
      resume(
        Effect.succeed({
          write: (text) => socket.write(text, "latin1"),
          until: (text) => when(() => received.includes(text)),
          toEnd: when(() => isClosed),
          socket,
        }),
      ),
    )
  })

/** Writes one text on a connection of its own and gives all that comes back until it is closed. */
export const exchange = (port: number, text: string): Effect.Effect<string> =>
  Effect.flatMap(rawSocket(port), ({ write, toEnd }) => {
    write(text)
    return toEnd
  })
