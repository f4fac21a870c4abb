import { type AlertMethodHealth, alertMethods } from "@tocsin/api"
import { Command } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { type ClientFlags, isJson } from "../client/ClientConfig.ts"
import {
  ApiCommand,
  type CommandContext,
  CommandFailed,
  printJson,
  resourceClient,
} from "./CommandContext.ts"
import { readDefinition } from "./DefinitionFiles.ts"

export const alertMethodCommand = (context: CommandContext): Command =>
  new Command("alertmethod")
    .summary("test, preview and enable alert methods")
    .description("Test and preview alert methods, show their health, and enable them.")
    .addCommand(
      new ApiCommand("test")
        .argument("[name]", "name of the alert method")
        .option("-f, --file <file>", "YAML or JSON file with one alert method; - reads stdin")
        .projectFlag()
        .clientFlags()
        .summary("send a test notification")
        .description(
          "Send a test notification with sample values through an alert method, stored or in a file, and print the result.",
        )
        .examples("  $ tocsin alertmethod test on-call -p shop\n  $ tocsin alertmethod test -f on-call.yaml")
        .action((name: string | undefined, flags: TestFlags) => context.run(test(name, flags, context))),
    )
    .addCommand(
      new ApiCommand("preview")
        .summary("print the notification of an alert method that is not yet applied")
        .description(
          "Print the notification that an alert method would send, with sample values. Nothing is stored or sent.",
        )
        .requiredOption("-f, --file <file>", "YAML or JSON file with one alert method; - reads stdin")
        .projectFlag()
        .clientFlags()
        .examples("  $ tocsin alertmethod preview -f on-call.yaml")
        .action((flags: PreviewFlags) => context.run(preview(flags, context))),
    )
    .addCommand(
      named("health")
        .summary("show whether notifications arrive")
        .description(
          "Show whether the notifications of an alert method arrive, and whether it is disabled or paused.",
        )
        .examples("  $ tocsin alertmethod health on-call -p shop")
        .action((name: string, flags: ProjectFlags) =>
          context.run(printHealth("findAlertMethodHealth", name, flags, context)),
        ),
    )
    .addCommand(
      named("enable")
        .summary("enable an alert method that was disabled")
        .description(
          "Enable an alert method that was disabled because its receiver was gone or failed for too long. Its waiting deliveries are sent.",
        )
        .examples("  $ tocsin alertmethod enable on-call -p shop")
        .action((name: string, flags: ProjectFlags) =>
          context.run(printHealth("enableAlertMethod", name, flags, context)),
        ),
    )

interface ProjectFlags extends ClientFlags {
  readonly project: string
}

interface TestFlags extends ProjectFlags {
  readonly file?: string
}

interface PreviewFlags extends ProjectFlags {
  readonly file: string
}

const named = (verb: string): ApiCommand =>
  new ApiCommand(verb).argument("<name>", "name of the alert method").projectFlag().clientFlags()

const printHealth = (
  operation: "findAlertMethodHealth" | "enableAlertMethod",
  name: string,
  flags: ProjectFlags,
  context: CommandContext,
) =>
  Effect.gen(function* () {
    const api = yield* resourceClient(alertMethods, flags, context)
    yield* printJson(flags, yield* api[operation]({ name, project: flags.project }), healthText)
  })

const test = (name: string | undefined, flags: TestFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { file, project } = flags
    if ((name === undefined) === (file === undefined)) {
      return yield* new CommandFailed({ message: "specify either a name or --file" })
    }
    const api = yield* resourceClient(alertMethods, flags, context)
    const response = yield* file === undefined
      ? api.testAlertMethod({ name: name ?? "", project })
      : api.testProposedAlertMethod({
          body: { definition: yield* readDefinition("AlertMethod", file, project) },
        })
    const { message, detail } = response
    if (isJson(flags)) yield* Console.log(JSON.stringify(response))
    else if (detail === undefined) yield* Console.log(message)
    if (detail !== undefined) return yield* new CommandFailed({ message: `${message}: ${detail}` })
  })

const preview = (flags: PreviewFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const body = yield* readDefinition("AlertMethod", flags.file, flags.project)
    const api = yield* resourceClient(alertMethods, flags, context)
    yield* printJson(flags, yield* api.previewAlertMethod({ body }), ({ headers, body }) =>
      [...headers.map(({ name, value }) => `${name}: ${value}`), "", body].join("\n"),
    )
  })

/** Whether deliveries are sent, and how the latest went, over several lines. */
export const healthText = (health: AlertMethodHealth): string => {
  const { isDisabled, disabledAt, disabledBecause, circuitOpenUntil, failures, failingSince } = health
  return [
    isDisabled ? `disabled since ${disabledAt}: ${disabledBecause}` : "enabled",
    health.lastSuccessAt === undefined ? "no attempt succeeded yet" : `last success: ${health.lastSuccessAt}`,
    ...(failures > 0 ? [`failed attempts since then: ${failures}, the first at ${failingSince}`] : []),
    ...(circuitOpenUntil === undefined ? [] : [`no attempt starts before ${circuitOpenUntil}`]),
    ...(health.isPaused ? ["paused"] : []),
    ...(health.isAllPaused ? ["all deliveries of the server are paused"] : []),
    `in flight: ${health.inFlight}`,
  ].join("\n")
}
