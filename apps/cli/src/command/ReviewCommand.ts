import { type ReviewSummary, reviews } from "@tocsin/api"
import * as Effect from "effect/Effect"
import { resourceClient } from "./CommandContext.ts"
import { commands, listed, printed, work } from "./Commands.ts"
import { client, required, text } from "./Flags.ts"
import { printSigned, signedDocument } from "./SignedDocument.ts"

export const reviewCommand = commands(
  "create, list and print reviews of many SLOs",
  "Create signed reviews of the SLOs of a service, a project, a label or a saved view over a period, and list, print and delete them.",
  {
    list: listed(reviews, "listReviews", {
      summary: "list reviews",
      description: "List reviews, latest periods first.",
      flags: client,
      empty: "No reviews.",
      columns: {
        ID: ({ id }) => id,
        TITLE: ({ title }) => title,
        FROM: ({ period }) => period.from,
        TO: ({ period }) => period.to,
        MISSED: ({ results }) => String(results.missed),
        SLOS: ({ results }) => String(slosOf(results)),
        "NEXT REVIEW": ({ nextReviewAt }) => nextReviewAt,
      },
    }),
    create: printed(reviews, "createReview", {
      summary: "create a review",
      description:
        "Create the signed review of all SLOs that match the flags over a period, from the data that is stored now.",
      flags: {
        from: required("<date-time>", "start of the period, a whole minute (UTC)"),
        to: required("<date-time>", "end of the period, a whole minute (UTC)"),
        project: text("<name>", "project of the SLOs (default: all)", "p"),
        service: text("<name>", "service of the SLOs (default: all)"),
        labels: text("<labels>", "labels that the SLOs have, such as team=payments,tier (default: any)", "l"),
        search: text("<text>", "part of the name or display name of the SLOs (default: any)"),
        view: text("<name>", "saved view that selects the SLOs, instead of the four flags above"),
        title: text("<text>", "title (default: what the review is about)"),
        timeZone: text(
          "<name>",
          "time zone of weeks and calendar months, such as Europe/Paris (default: UTC)",
        ),
        nextReviewAt: text(
          "<date-time>",
          "when the next review is due (UTC; default: by the review cycle of the service)",
        ),
        ...client,
      },
      examples:
        "  # The second quarter of a service\n  $ tocsin review create -p shop --service web --from 2026-04-01T00:00:00Z --to 2026-07-01T00:00:00Z",
      request: ({ from, to, project, service, labels, search, view, title, timeZone, nextReviewAt }) => ({
        body: {
          from,
          to,
          project,
          service,
          labels,
          search,
          view,
          title,
          timeZone,
          nextReviewAt,
        },
      }),
      text: ({ id }) => id,
    }),
    get: work(signedDocument("review"), ({ id, format, ...given }, context) =>
      Effect.flatMap(resourceClient(reviews, given, context), (api) =>
        printSigned(format, (format) => api.findReview({ id, format }), api.findReviewSignature({ id })),
      ),
    ),
    due: printed(reviews, "listReviewReminders", {
      summary: "list due reviews",
      description:
        "List the reviews that are due within 7 days: the next reviews of reviewed SLOs, and the first reviews of services with a review cycle.",
      flags: client,
      text: ({ reminders }) =>
        reminders.length === 0
          ? "No review is due."
          : reminders.map(({ title, dueAt }) => `${dueAt}  ${title}`).join("\n"),
    }),
    delete: printed(reviews, "deleteReview", {
      summary: "delete a review",
      description: "Delete a review with its notes.",
      arguments: { id: "ID of the review, as printed by `list`" },
      flags: client,
      text: (_, { id }) => `Review ${id} was deleted.`,
    }),
  },
)

const slosOf = ({ met, missed, insufficient_data: insufficient }: ReviewSummary["results"]): number =>
  met + missed + insufficient
