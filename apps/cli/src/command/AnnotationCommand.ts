import { annotationKinds } from "@tocsin/domain/definitions"
import { AnnotationListSchema, AnnotationSchema } from "@tocsin/adapters-http/schemas"
import { Command, Option as Flag } from "commander"
import { readResponse } from "../client/ApiClient.ts"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { ApiCommand, callApi, type CommandContext, printList, printResponse } from "./CommandContext.ts"
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
            Effect.andThen(
              callApi(flags, context, {
                method: "DELETE",
                path: `${pathOf(name)}/${encodeURIComponent(id)}`,
                headers: { project: flags.project },
              }),
              Console.log(`Annotation ${id} deleted`),
            ),
          ),
        ),
    )

const pathOf = (slo: string): string => `/api/slos/${encodeURIComponent(slo)}/annotations`

interface RangeFlags extends ClientFlags {
  readonly project: string
  readonly from?: string
  readonly to?: string
}

const list = (name: string, flags: RangeFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { project, from, to } = flags
    const query = new URLSearchParams({
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    })
    const response = yield* callApi(flags, context, {
      method: "GET",
      path: `${pathOf(name)}?${query}`,
      headers: { project },
    })
    const { annotations } = yield* readResponse(AnnotationListSchema, response)
    const header = ["ID", "KIND", "FROM", "TO", "TITLE"]
    yield* printList(flags, context, annotations, "No annotations.", header, (each) => [
      each.id,
      each.kind,
      each.from,
      each.to ?? "",
      each.title,
    ])
  })

interface CreateFlags extends RangeFlags {
  readonly kind: string
  readonly id?: string
  readonly text?: string
  readonly link?: string
}

const create = (name: string, title: string, flags: CreateFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { kind, id, text, link, from, to } = flags
    const response = yield* callApi(flags, context, {
      method: id === undefined ? "POST" : "PUT",
      path: id === undefined ? pathOf(name) : `${pathOf(name)}/${encodeURIComponent(id)}`,
      headers: { project: flags.project },
      json: { kind, title, text, url: link, from, to },
    })
    yield* printResponse(
      flags,
      response,
      AnnotationSchema,
      (annotation) => `${annotation.from}  ${annotation.kind} ${annotation.id}: ${annotation.title}`,
    )
  })
