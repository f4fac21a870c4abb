import { Args, Command, Options } from "@effect/cli"
import { Console, Effect, Option } from "effect"
import { callAsOperator } from "../OperatorClient.ts"
import { ConfigIsInvalid } from "../ClientConfig.ts"
import type { Environment } from "../ServerConfig.ts"
import { jsonOption, organizationOption, urlOption } from "./ClientOptions.ts"

/** `tocsin credentials`: who may use the API, told to a running server. Source: decisions 0701 and 0702. */
export const credentialsCommand = (environment: Environment) => {
  const options = { url: urlOption, organization: organizationOption }

  const call = (
    flags: { readonly url: Option.Option<string>; readonly organization: Option.Option<string> },
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: object,
  ) =>
    Effect.gen(function* () {
      const organization = Option.getOrUndefined(flags.organization) ?? environment["TOCSIN_ORGANIZATION"]
      if (!organization)
        return yield* new ConfigIsInvalid({
          issues: [{ variable: "TOCSIN_ORGANIZATION", message: "or --organization is required" }],
        })
      return yield* callAsOperator(flags.url, environment, {
        method,
        path: `/api/operator/credentials${path}`,
        headers: {
          organization,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    })

  const create = Command.make(
    "create",
    {
      ...options,
      json: jsonOption,
      role: Options.choice("role", ["viewer", "editor"]).pipe(
        Options.withDescription("A viewer reads; an editor also changes."),
        Options.withDefault("viewer" as const),
      ),
    },
    ({ json, role, ...flags }) =>
      Effect.gen(function* () {
        const answer = yield* call(flags, "POST", "", { role })
        if (json) return yield* Console.log(answer)
        const { organization, clientId, clientSecret } = JSON.parse(answer) as Credential & {
          readonly clientSecret: string
        }
        yield* Console.log(`export TOCSIN_ORGANIZATION=${shellQuoted(organization)}`)
        yield* Console.log(`export TOCSIN_CLIENT_ID=${shellQuoted(clientId)}`)
        yield* Console.log(`export TOCSIN_CLIENT_SECRET=${shellQuoted(clientSecret)}`)
        yield* Console.error("The secret is shown this once; the server keeps only its hash.")
      }),
  ).pipe(Command.withDescription("Create a credential and print its id and secret, this once."))

  const list = Command.make("list", { ...options, json: jsonOption }, ({ json, ...flags }) =>
    Effect.gen(function* () {
      const answer = yield* call(flags, "GET", "")
      if (json) return yield* Console.log(answer)
      const { credentials } = JSON.parse(answer) as { readonly credentials: ReadonlyArray<Credential> }
      if (credentials.length === 0) return yield* Console.log("No credentials.")
      for (const { clientId, role, isDisabled, createdAt } of credentials)
        yield* Console.log(
          `${clientId}  ${role}  ${isDisabled ? "disabled" : "enabled "}  created ${createdAt}`,
        )
    }),
  ).pipe(Command.withDescription("List the credentials of an organization; secrets are not kept."))

  const clientIdArgument = Args.text({ name: "client-id" })

  const disable = Command.make(
    "disable",
    { ...options, clientId: clientIdArgument },
    ({ clientId, ...flags }) =>
      Effect.zipRight(
        call(flags, "POST", `/${encodeURIComponent(clientId)}/disable`),
        Console.log(`Disabled ${clientId}; its access tokens no longer work`),
      ),
  ).pipe(Command.withDescription("Disable a credential and every token that it was given."))

  const remove = Command.make(
    "delete",
    { ...options, clientId: clientIdArgument },
    ({ clientId, ...flags }) =>
      Effect.zipRight(
        call(flags, "DELETE", `/${encodeURIComponent(clientId)}`),
        Console.log(`Deleted ${clientId}; its access tokens no longer work`),
      ),
  ).pipe(Command.withDescription("Delete a credential and every token that it was given."))

  return Command.make("credentials").pipe(
    Command.withDescription("Say who may use the API of a running server. Needs TOCSIN_MASTER_KEY."),
    Command.withSubcommands([create, list, disable, remove]),
  )
}

interface Credential {
  readonly organization: string
  readonly clientId: string
  readonly role: string
  readonly isDisabled: boolean
  readonly createdAt: string
}

const shellQuoted = (text: string): string =>
  /^[\w.~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
