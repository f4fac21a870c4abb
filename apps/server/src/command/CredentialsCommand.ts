import { Option as Flag } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ApiCall, readResponse } from "../client/ApiClient.ts"
import { type ClientFlags, isJson, organizationOf } from "../client/ClientConfig.ts"
import { withContext } from "../client/ContextFile.ts"
import { callAsOperator } from "../client/OperatorClient.ts"
import { ApiCommand, type CommandContext, printResponse } from "./CommandContext.ts"

export const credentialsCommand = (context: CommandContext): ApiCommand => {
  const subcommand = (name: string, summary: string, description: string): ApiCommand =>
    new ApiCommand(name).summary(summary).description(description).organizationFlag().urlFlag()

  return new ApiCommand("credentials")
    .summary("manage API credentials")
    .description(
      "Manage the API credentials of a running server. Needs TOCSIN_MASTER_KEY, or read access to the server's data directory.",
    )
    .addCommand(
      subcommand(
        "create",
        "create a credential",
        "Create a credential and print its client ID and secret as environment variables. The secret cannot be retrieved later.",
      )
        .addOption(
          new Flag("--role <role>", "viewer: read only; editor: read and write")
            .choices(["viewer", "editor"])
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

const Created = Schema.Struct({
  organization: Schema.String,
  clientId: Schema.String,
  clientSecret: Schema.String,
})

const Credentials = Schema.Struct({
  credentials: Schema.Array(
    Schema.Struct({
      clientId: Schema.String,
      role: Schema.String,
      isDisabled: Schema.Boolean,
      createdAt: Schema.String,
    }),
  ),
})

const create = (flags: ClientFlags & { readonly role: string }, context: CommandContext) =>
  Effect.gen(function* () {
    const response = yield* call(flags, context, {
      method: "POST",
      path: "",
      json: { role: flags.role },
    })
    if (isJson(flags)) return yield* Console.log(response)
    const created = yield* readResponse(Created, response)
    yield* Console.log(`export TOCSIN_ORGANIZATION=${shellQuoted(created.organization)}`)
    yield* Console.log(`export TOCSIN_CLIENT_ID=${shellQuoted(created.clientId)}`)
    yield* Console.log(`export TOCSIN_CLIENT_SECRET=${shellQuoted(created.clientSecret)}`)
    yield* Console.error("Store the client secret now. It cannot be retrieved later.")
  })

const list = (flags: ClientFlags, context: CommandContext) =>
  Effect.flatMap(call(flags, context, { method: "GET", path: "" }), (response) =>
    printResponse(flags, response, Credentials, ({ credentials }) =>
      credentials.length === 0 ? "No credentials." : credentials.map(credentialLine).join("\n"),
    ),
  )

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
}: (typeof Credentials.Type)["credentials"][number]): string =>
  `${clientId}  ${role}  ${isDisabled ? "disabled" : "enabled "}  created ${createdAt}`

const call = (flags: ClientFlags, { environment }: CommandContext, request: ApiCall) =>
  Effect.gen(function* () {
    const organization = yield* Effect.fromResult(
      organizationOf(flags, yield* withContext(flags, environment)),
    )
    return yield* callAsOperator(flags, environment, {
      ...request,
      path: `/api/operator/credentials${request.path}`,
      headers: { organization, ...request.headers },
    })
  })

const shellQuoted = (text: string): string =>
  /^[\w.~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
