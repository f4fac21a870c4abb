import { annotations } from "@tocsin/api"
import { annotationKinds } from "@tocsin/domain/definitions"
import * as Effect from "effect/Effect"
import { printJson, printList, resourceClient } from "./CommandContext.ts"
import { commands, printed, work } from "./Commands.ts"
import { client, oneOfDefault, organization, project, text, url } from "./Flags.ts"

export const annotationCommand = commands(
  "mark deployments, incidents and notes in the charts of SLOs",
  "Mark deployments, incidents and notes in the charts of SLOs.",
  {
    create: work(
      {
        summary: "create or replace an annotation",
        description: "Create an annotation. With --id, repeating the command replaces it.",
        arguments: { slo: "name of the SLO", title: "title of the annotation" },
        flags: {
          kind: oneOfDefault("<kind>", "kind of the annotation", annotationKinds, "note"),
          id: text("<id>", "your own ID, such as a deployment ID"),
          text: text("<text>", "details"),
          link: text("<url>", "link to more information"),
          from: text("<date-time>", "when it happened or began, in UTC (default: now)"),
          to: text("<date-time>", "when it ended, in UTC"),
          ...project,
          ...client,
        },
        examples:
          "  $ tocsin annotation create checkout-latency 'checkout 4.2.0' --kind deployment --id deploy-8213 -p shop",
      },
      (given, context) =>
        Effect.gen(function* () {
          const { slo, title, kind, id, text, link, from, to, project } = given
          const api = yield* resourceClient(annotations, given, context)
          const call = { sloName: slo, project, body: { kind, title, text, url: link, from, to } }
          yield* printJson(
            given,
            yield* id === undefined ? api.createAnnotation(call) : api.putAnnotation({ ...call, id }),
            (annotation) => `${annotation.from}  ${annotation.kind} ${annotation.id}: ${annotation.title}`,
          )
        }),
    ),
    list: work(
      {
        summary: "list what the chart of an SLO shows",
        description: "List the annotations, alerts, budget adjustments and gaps of an SLO, latest first.",
        arguments: { slo: "name of the SLO" },
        flags: {
          from: text("<date-time>", "start of the range, in UTC (default: 30 days ago)"),
          to: text("<date-time>", "end of the range, in UTC (default: now)"),
          ...project,
          ...client,
        },
        examples: "  $ tocsin annotation list checkout-latency -p shop",
      },
      (given, context) =>
        Effect.gen(function* () {
          const { slo, project, from, to } = given
          const api = yield* resourceClient(annotations, given, context)
          const listed = yield* api.listAnnotations({ sloName: slo, project, from, to })
          const header = ["ID", "KIND", "FROM", "TO", "TITLE"]
          yield* printList(given, context, listed.annotations, "No annotations.", header, (each) => [
            each.id,
            each.kind,
            each.from,
            each.to ?? "",
            each.title,
          ])
        }),
    ),
    delete: printed(annotations, "deleteAnnotation", {
      summary: "delete an annotation",
      description: "Delete an annotation.",
      arguments: { slo: "name of the SLO", id: "ID of the annotation, as printed by `list`" },
      flags: { ...project, ...organization, ...url },
      examples: "  $ tocsin annotation delete checkout-latency deploy-8213 -p shop",
      request: ({ slo, id, project }) => ({ sloName: slo, id, project }),
      text: (_, { id }) => `Annotation ${id} deleted`,
    }),
  },
)
