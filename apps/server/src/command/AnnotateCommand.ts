import { annotationKinds } from "@tocsin/domain/internal/annotation/Annotation"
import { AnnotationSchema } from "@tocsin/adapters-http/internal/annotations/AnnotationsApi"
import { Option as Flag } from "commander"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { ApiCommand, callApi, type CommandContext, printResponse } from "./CommandContext.ts"
import * as Effect from "effect/Effect"

export const annotateCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("annotate")
    .summary("mark a deployment, an incident or a note in the charts of an SLO")
    .description(
      "Mark a deployment, an incident or a note in the charts of an SLO. With --id, repeating the command replaces the annotation.",
    )
    .argument("<slo>", "name of the SLO")
    .argument("<title>", "what happened")
    .addOption(new Flag("--kind <kind>", "kind of the annotation").choices(annotationKinds).default("note"))
    .option("--id <id>", "ID of your own, such as that of a deployment")
    .option("--text <text>", "more about it")
    .option("--link <url>", "where to read more")
    .option("--from <date-time>", "when it happened or began, in UTC (default: now)")
    .option("--to <date-time>", "when it ended, in UTC")
    .projectFlag()
    .outputFlag()
    .organizationFlag()
    .urlFlag()
    .examples(
      "  $ tocsin annotate checkout-latency 'checkout 4.2.0' --kind deployment --id deploy-8213 -p shop",
    )
    .action((name: string, title: string, flags: AnnotateFlags) =>
      context.run(annotate(name, title, flags, context)),
    )

interface AnnotateFlags extends ClientFlags {
  readonly project: string
  readonly kind: string
  readonly id?: string
  readonly text?: string
  readonly link?: string
  readonly from?: string
  readonly to?: string
}

const annotate = (name: string, title: string, flags: AnnotateFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { kind, id, text, link, from, to } = flags
    const path = `/api/slos/${encodeURIComponent(name)}/annotations`
    const response = yield* callApi(flags, context, {
      method: id === undefined ? "POST" : "PUT",
      path: id === undefined ? path : `${path}/${encodeURIComponent(id)}`,
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
