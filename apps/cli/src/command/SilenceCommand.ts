import { Command } from "commander"
import { SilencePreviewSchema } from "@tocsin/adapters-http/schemas"
import * as Effect from "effect/Effect"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { ApiCommand, type CommandContext, printCall } from "./CommandContext.ts"
import { readDefinition } from "./DefinitionFiles.ts"

export const silenceCommand = (context: CommandContext): Command =>
  new Command("silence")
    .summary("work with alert silences")
    .description("Work with alert silences.")
    .addCommand(
      new ApiCommand("preview")
        .summary("show what an alert silence covers and when")
        .description(
          "Print when an alert silence is active, and the SLOs and open alerts that it covers now. Nothing is stored.",
        )
        .requiredOption("-f, --file <file>", "YAML or JSON file with one AlertSilence; - reads stdin")
        .projectFlag()
        .clientFlags()
        .examples("  $ tocsin silence preview -f silence.yaml")
        .action((flags: PreviewFlags) => context.run(preview(flags, context))),
    )

interface PreviewFlags extends ClientFlags {
  readonly project: string
  readonly file: string
}

const preview = (flags: PreviewFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const json = yield* readDefinition("AlertSilence", flags.file, flags.project)
    const call = { method: "POST", path: "/api/alertsilences/preview", json } as const
    yield* printCall(flags, context, call, SilencePreviewSchema, textOf)
  })

const textOf = ({
  slos,
  hasMoreSlos,
  alerts,
  hasMoreAlerts,
  periods,
}: typeof SilencePreviewSchema.Type): string =>
  [
    periods.length === 0 ? "The silence has ended." : "Active:",
    ...periods.map(({ startTime, endTime }) => `  ${startTime} to ${endTime}`),
    `SLOs: ${slos.length}${hasMoreSlos ? "+" : ""}`,
    ...slos.map(({ project, name }) => `  ${project}/${name}`),
    `Open alerts: ${alerts.length}${hasMoreAlerts ? "+" : ""}`,
    ...alerts.map(({ metadata, spec }) =>
      [`  ${metadata.name}  ${spec.slo.name}`, spec.objective?.name, spec.alertPolicy?.name]
        .filter((part) => part !== undefined)
        .join("  "),
    ),
  ].join("\n")
