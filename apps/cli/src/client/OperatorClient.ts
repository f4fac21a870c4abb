import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Environment } from "../config/Environment.ts"
import { type ApiCall, send } from "./ApiClient.ts"
import { type ClientFlags, privateServerUrl } from "./ClientConfig.ts"
import { withContext } from "./ContextFile.ts"

/** How a server recognizes its operator: by its master key, which is in the environment or the data directory. */
export interface OperatorAccess {
  readonly hasMasterKey: Effect.Effect<boolean, { readonly message: string }>
  /** A new token; fails without a master key. */
  readonly token: Effect.Effect<string, { readonly message: string }>
}

/** Authenticates with a token made from the master key. */
export const callAsOperator = (
  flags: ClientFlags,
  { environment, operator }: { readonly environment: Environment; readonly operator: OperatorAccess },
  call: ApiCall,
) =>
  Effect.gen(function* () {
    const url = yield* Effect.fromResult(privateServerUrl(flags, yield* withContext(flags, environment)))
    const token = yield* operator.token
    return yield* send(url, { ...call, headers: { authorization: `Bearer ${token}`, ...call.headers } }).pipe(
      Effect.catchIf(
        (error) => error._tag === "ApiRejected" && error.status === 401,
        () =>
          new OperatorIsRejected({
            message: `the server at ${url} rejected the master key; use the TOCSIN_MASTER_KEY or TOCSIN_DATA_DIR of the server, or set TOCSIN_URL if another server listens there, and check that both clocks are correct`,
          }),
      ),
      // Tocsin says what it does not find.
      Effect.catchIf(
        (error) => error._tag === "ApiRejected" && error.status === 404 && error.errors.length === 0,
        () =>
          new OperatorIsRejected({
            message: `${url} returned 404; a proxy may block the paths of operators: set --url to the server itself`,
          }),
      ),
    )
  })

class OperatorIsRejected extends Data.TaggedError("OperatorIsRejected")<{
  readonly message: string
}> {}
