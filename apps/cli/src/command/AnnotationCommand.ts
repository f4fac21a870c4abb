import { annotationKinds } from "@tocsin/domain/definitions"
import { type Annotation, annotations } from "@tocsin/api"
import { Command, Option as Flag } from "commander"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { ApiCommand, type CommandContext, printJson, printList, resourceClient } from "./CommandContext.ts"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

export const annotationCommand = (context: CommandContext): Command =>
  new Command("annotation")
    .summary("mark deployments, incidents and notes in the charts of SLOs")
    .description("Mark deployments, incidents and notes in the charts of SLOs.")
    .addCommand(
      new ApiCommand("create")
        .summary("create or replace an annotation")
        .description("Create an annotation. With --id, repeating the command replaces it.")
        .argument("<slo>", "name of the SLO")
        .argument("<title>", "what happened")
        .addOption(
          new Flag("--kind <kind>", "kind of the annotation").choices(annotationKinds).default("note"),
        )
        .option("--id <id>", "ID of your own, such as that of a deployment")
        .option("--text <text>", "more about it")
        .option("--link <url>", "where to read more")
        .option("--from <date-time>", "when it happened or began, in UTC (default: now)")
        .option("--to <date-time>", "when it ended, in UTC")
        .projectFlag()
        .clientFlags()
        .examples(
          "  $ tocsin annotation create checkout-latency 'checkout 4.2.0' --kind deployment --id deploy-8213 -p shop",
        )
        .action((name: string, title: string, flags: CreateFlags) =>
          context.run(create(name, title, flags, context)),
        ),
    )
    .addCommand(
      new ApiCommand("list")
        .summary("list what the chart of an SLO shows")
        .description("List the annotations, alerts, budget adjustments and gaps of an SLO, latest first.")
        .argument("<slo>", "name of the SLO")
        .option("--from <date-time>", "start of the range, in UTC (default: 30 days ago)")
        .option("--to <date-time>", "end of the range, in UTC (default: now)")
        .projectFlag()
        .clientFlags()
        .examples("  $ tocsin annotation list checkout-latency -p shop")
        .action((name: string, flags: RangeFlags) => context.run(list(name, flags, context))),
    )
    .addCommand(
      new ApiCommand("delete")
        .summary("delete an annotation")
        .description("Delete an annotation.")
        .argument("<slo>", "name of the SLO")
        .argument("<id>", "ID of the annotation, as printed by `list`")
        .projectFlag()
        .organizationFlag()
        .urlFlag()
        .examples("  $ tocsin annotation delete checkout-latency deploy-8213 -p shop")
        .action((name: string, id: string, flags: RangeFlags) =>
          context.run(
            Effect.gen(function* () {
              const api = yield* resourceClient(annotations, flags, context)
              yield* api.deleteAnnotation({ sloName: name, id, project: flags.project })
              yield* Console.log(`Annotation ${id} deleted`)
            }),
          ),
        ),
    )

interface RangeFlags extends ClientFlags {
  readonly project: string
  readonly from?: string
  readonly to?: string
}

const list = (name: string, flags: RangeFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { project, from, to } = flags
    const api = yield* resourceClient(annotations, flags, context)
    const listed = yield* api.listAnnotations({ sloName: name, project, from, to })
    const header = ["ID", "KIND", "FROM", "TO", "TITLE"]
    yield* printList(flags, context, listed.annotations, "No annotations.", header, (each) => [
      each.id,
      each.kind,
      each.from,
      each.to ?? "",
      each.title,
    ])
  })

interface CreateFlags extends RangeFlags {
  readonly kind: Annotation["kind"]
  readonly id?: string
  readonly text?: string
  readonly link?: string
}

const create = (name: string, title: string, flags: CreateFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { kind, id, text, link, from, to, project } = flags
    const api = yield* resourceClient(annotations, flags, context)
    const call = { sloName: name, project, body: { kind, title, text, url: link, from, to } }
    yield* printJson(
      flags,
      yield* id === undefined ? api.createAnnotation(call) : api.putAnnotation({ ...call, id }),
      (annotation) => `${annotation.from}  ${annotation.kind} ${annotation.id}: ${annotation.title}`,
    )
  })
