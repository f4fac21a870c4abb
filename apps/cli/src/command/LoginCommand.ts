import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { text as readStream } from "node:stream/consumers"
import * as Redacted from "effect/Redacted"
import { makeApiClient } from "../client/ApiClient.ts"
import { decodeClientConfig, defaultUrl } from "../client/ClientConfig.ts"
import {
  contextFilePath,
  decodeContext,
  readContextFile,
  withContextStored,
  writeContextFile,
} from "../client/ContextFile.ts"
import type { Environment } from "../config/Environment.ts"
import { makeTokenCache } from "../client/TokenCache.ts"
import { ask, type QuestionOptions } from "../terminal/Question.ts"
import { CommandFailed } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { given, organization, text, url, type ValuesOf } from "./Flags.ts"

const flags = {
  ...organization,
  clientId: text("<id>", "client ID (env: TOCSIN_CLIENT_ID)"),
  clientSecretStdin: given("read the client secret from stdin (env: TOCSIN_CLIENT_SECRET)"),
  context: text("<name>", "name of the context (default: the organization)"),
  ...url,
}

type LoginFlags = ValuesOf<typeof flags>

export const loginCommand = work(
  {
    summary: "store a server and a credential, and use them",
    description:
      "Check a credential, store it with its server as a context, and select the context. On a terminal, the command prompts for values that are not set by a flag or variable.",
    flags,
    examples:
      "  # With prompts\n  $ tocsin login\n\n  # In a script\n  $ tocsin login --url https://tocsin.example.com --organization acme --client-id 5f1c --client-secret-stdin < secret.txt",
  },
  (flags, { environment }) =>
    Effect.gen(function* () {
      const file = yield* readContextFile(environment)
      const given = yield* complete(flags, environment)
      const config = yield* Effect.fromResult(
        decodeClientConfig(
          {},
          given,
          "specify --client-id, and --client-secret-stdin with the secret on stdin",
        ),
      )
      const stored = yield* Effect.fromResult(
        decodeContext({
          name: flags.context ?? config.organization,
          url: config.url,
          organization: config.organization,
          clientId: config.clientId,
          clientSecret: Redacted.value(config.clientSecret),
        }),
      )
      // A cached token would be no proof that the secret is still right.
      const cache = makeTokenCache(config, environment)
      yield* cache.remove
      const client = yield* makeApiClient(config, cache)
      yield* client.accessToken
      yield* writeContextFile(
        { ...withContextStored(file, stored), currentContext: stored.name },
        environment,
      )
      yield* Console.log(`Signed in to ${config.url}. Selected context ${stored.name}`)
      yield* Console.error(`The credential is stored in ${contextFilePath(environment)}.`)
    }),
)

/** The environment with what flags, stdin and answers add. */
const complete = (flags: LoginFlags, environment: Environment) =>
  Effect.gen(function* () {
    const isTerminal = process.stdin.isTTY
    const secretOfStdin =
      flags.clientSecretStdin === true
        ? yield* Effect.promise(async () => (await readStream(process.stdin)).trim())
        : undefined
    if (secretOfStdin === "")
      return yield* new CommandFailed({
        message: "--client-secret-stdin: stdin is empty; pipe the client secret into the command",
      })
    const asked = (value: string | undefined, question: string, options: QuestionOptions = {}) =>
      value || !isTerminal || flags.clientSecretStdin === true
        ? Effect.succeed(value || options.default)
        : Effect.mapError(
            ask(question, options),
            () => new CommandFailed({ message: "sign-in was canceled; nothing is stored" }),
          )
    return {
      TOCSIN_URL: yield* asked(flags.url ?? environment["TOCSIN_URL"], "URL of the server", {
        default: defaultUrl,
      }),
      TOCSIN_ORGANIZATION: yield* asked(
        flags.organization ?? environment["TOCSIN_ORGANIZATION"],
        "Organization",
      ),
      TOCSIN_CLIENT_ID: yield* asked(flags.clientId ?? environment["TOCSIN_CLIENT_ID"], "Client ID"),
      TOCSIN_CLIENT_SECRET:
        secretOfStdin ??
        (yield* asked(environment["TOCSIN_CLIENT_SECRET"], "Client secret", { isHidden: true })),
    }
  })
