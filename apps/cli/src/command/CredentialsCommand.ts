import { Option as Flag } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { roles } from "@tocsin/domain"
import { type ApiCall, readResponse } from "../client/ApiClient.ts"
import { type ClientFlags, isJson, organizationOf } from "../client/ClientConfig.ts"
import { withContext } from "../client/ContextFile.ts"
import { callAsOperator } from "../client/OperatorClient.ts"
import { ApiCommand, callApi, type CommandContext, printResponse } from "./CommandContext.ts"

export const credentialsCommand = (context: CommandContext): ApiCommand => {
  const subcommand = (name: string, summary: string, description: string): ApiCommand =>
    new ApiCommand(name).summary(summary).description(description).organizationFlag().urlFlag()

  return new ApiCommand("credentials")
    .summary("manage API credentials")
    .description(
      "Manage the API credentials of a running server: as its operator with TOCSIN_MASTER_KEY or read access to the server's data directory, otherwise with the login of an admin.",
    )
    .addCommand(
      subcommand(
        "create",
        "create a credential",
        "Create a credential and print its client ID and secret as environment variables. The secret cannot be retrieved later.",
      )
        .addOption(
          new Flag(
            "--role <role>",
            "viewer: read only; editor: read and write; admin: also manage credentials",
          )
            .choices(roles)
            .default("viewer"),
        )
        .outputFlag()
        .examples(
          '  # Create a credential and use it in this shell\n  $ eval "$(tocsin credentials create --organization acme --role editor)"',
        )
        .action((flags: ClientFlags & { readonly role: string }) => context.run(create(flags, context))),
    )
    .addCommand(
      subcommand("list", "list credentials", "List the credentials of an organization.")
        .outputFlag()
        .action((flags: ClientFlags) => context.run(list(flags, context))),
    )
    .addCommand(
      subcommand(
        "rotate",
        "replace the secret of a credential",
        "Replace the secret of a credential and print the new one as environment variables. Access tokens and sessions stay valid.",
      )
        .argument("<client-id>")
        .option("--previous-for <duration>", "how long the previous secret stays valid, up to 168h", "0s")
        .outputFlag()
        .action((clientId: string, flags: RotateFlags) => context.run(rotate(clientId, flags, context))),
    )
    .addCommand(
      subcommand(
        "sign-in-link",
        "create a link that signs in once",
        "Print a link that opens the web console with a credential, once and within an hour. Needs the master key.",
      )
        .argument("<client-id>")
        .outputFlag()
        .action((clientId: string, flags: ClientFlags) => context.run(signInLink(clientId, flags, context))),
    )
    .addCommand(
      subcommand(
        "disable",
        "disable a credential permanently",
        "Disable a credential permanently and revoke its access tokens.",
      )
        .argument("<client-id>")
        .action((clientId: string, flags: ClientFlags) => context.run(disable(clientId, flags, context))),
    )
    .addCommand(
      subcommand("delete", "delete a credential", "Delete a credential and revoke its access tokens.")
        .argument("<client-id>")
        .action((clientId: string, flags: ClientFlags) => context.run(remove(clientId, flags, context))),
    )
}

interface RotateFlags extends ClientFlags {
  readonly previousFor: string
}

const WithSecret = Schema.Struct({
  organization: Schema.String,
  clientId: Schema.String,
  clientSecret: Schema.String,
})

const Credentials = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      clientId: Schema.String,
      role: Schema.String,
      isDisabled: Schema.Boolean,
      createdAt: Schema.String,
      lastUsedAt: Schema.optionalKey(Schema.String),
    }),
  ),
})

const SignInLink = Schema.Struct({ url: Schema.String, expiresAt: Schema.String })

const create = (flags: ClientFlags & { readonly role: string }, context: CommandContext) =>
  Effect.flatMap(call(flags, context, { method: "POST", path: "", json: { role: flags.role } }), (response) =>
    printSecret(flags, response),
  )

const rotate = (clientId: string, flags: RotateFlags, context: CommandContext) =>
  Effect.flatMap(
    call(flags, context, {
      method: "POST",
      path: `/${encodeURIComponent(clientId)}/rotate`,
      json: { previousFor: flags.previousFor },
    }),
    (response) => printSecret(flags, response),
  )

const printSecret = (flags: ClientFlags, response: string) =>
  Effect.gen(function* () {
    if (isJson(flags)) return yield* Console.log(response)
    const created = yield* readResponse(WithSecret, response)
    yield* Console.log(`export TOCSIN_ORGANIZATION=${shellQuoted(created.organization)}`)
    yield* Console.log(`export TOCSIN_CLIENT_ID=${shellQuoted(created.clientId)}`)
    yield* Console.log(`export TOCSIN_CLIENT_SECRET=${shellQuoted(created.clientSecret)}`)
    yield* Console.error("Store the client secret now. It cannot be retrieved later.")
  })

const list = (flags: ClientFlags, context: CommandContext) =>
  Effect.flatMap(call(flags, context, { method: "GET", path: "" }), (response) =>
    printResponse(flags, response, Credentials, ({ data }) =>
      data.length === 0 ? "No credentials." : data.map(credentialLine).join("\n"),
    ),
  )

const signInLink = (clientId: string, flags: ClientFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const organization = yield* organizationFor(flags, context)
    const response = yield* callAsOperator(flags, context, {
      method: "POST",
      path: `/api/operator/credentials/${encodeURIComponent(clientId)}/sign-in-link`,
      headers: { organization },
    })
    yield* printResponse(flags, response, SignInLink, ({ url }) => url)
  })

const disable = (clientId: string, flags: ClientFlags, context: CommandContext) =>
  Effect.andThen(
    call(flags, context, { method: "POST", path: `/${encodeURIComponent(clientId)}/disable` }),
    Console.log(`Disabled ${clientId} and revoked its access tokens.`),
  )

const remove = (clientId: string, flags: ClientFlags, context: CommandContext) =>
  Effect.andThen(
    call(flags, context, { method: "DELETE", path: `/${encodeURIComponent(clientId)}` }),
    Console.log(`Deleted ${clientId} and revoked its access tokens.`),
  )

const credentialLine = ({
  clientId,
  role,
  isDisabled,
  createdAt,
  lastUsedAt,
}: (typeof Credentials.Type)["data"][number]): string =>
  `${clientId}  ${role}  ${isDisabled ? "disabled" : "enabled "}  created ${createdAt}  ${lastUsedAt === undefined ? "never used" : `last used ${lastUsedAt}`}`

const organizationFor = (flags: ClientFlags, { environment }: CommandContext) =>
  Effect.flatMap(withContext(flags, environment), (all) => Effect.fromResult(organizationOf(flags, all)))

/** Calls with the login if there is one and no master key, otherwise as the operator. */
const call = (flags: ClientFlags, context: CommandContext, request: ApiCall) =>
  Effect.gen(function* () {
    const { environment, operator } = context
    const hasLogin = (yield* withContext(flags, environment))["TOCSIN_CLIENT_ID"] !== undefined
    if (hasLogin && !(yield* operator.hasMasterKey)) {
      return yield* callApi(flags, context, { ...request, path: `/api/credentials${request.path}` })
    }
    const organization = yield* organizationFor(flags, context)
    return yield* callAsOperator(flags, context, {
      ...request,
      path: `/api/operator/credentials${request.path}`,
      headers: { organization, ...request.headers },
    })
  })

const shellQuoted = (text: string): string =>
  /^[\w.~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
