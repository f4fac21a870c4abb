import { type SilencePreview, silences } from "@tocsin/api"
import * as Effect from "effect/Effect"
import { commands, printed } from "./Commands.ts"
import { readDefinition } from "./DefinitionFiles.ts"
import { client, project, required } from "./Flags.ts"

const textOf = ({ slos, hasMoreSlos, alerts, hasMoreAlerts, periods }: SilencePreview): string =>
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

export const silenceCommand = commands("work with alert silences", "Work with alert silences.", {
  preview: printed(silences, "previewSilence", {
    summary: "show what an alert silence covers and when",
    description:
      "Print when an alert silence is active, and the SLOs and open alerts that it covers now. Nothing is stored.",
    flags: {
      file: required("<file>", "YAML or JSON file with one AlertSilence; - reads stdin", "f"),
      ...project,
      ...client,
    },
    examples: "  $ tocsin silence preview -f silence.yaml",
    request: ({ file, project }) =>
      Effect.map(readDefinition("AlertSilence", file, project), (body) => ({ body })),
    text: textOf,
  }),
})
