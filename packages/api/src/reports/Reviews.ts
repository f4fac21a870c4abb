import type { JsonOf } from "@tocsin/domain/codec"
import {
  reviewDocument,
  reviewNotes,
  reviewNotesRequest,
  reviewRequest,
  reviewScope,
} from "@tocsin/domain/features/report"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { count, noContent, optionalText, pageOf, time, written } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { reportSignature, reportTypes, signedQuery } from "./Reports.ts"

/** A review in a list, without its SLOs. */
export const reviewSummary = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  scope: reviewScope.schema(),
  period: Schema.Struct({ from: time("Start (inclusive)"), to: time("End (exclusive)") }),
  createdAt: time("When the review was created"),
  results: Schema.Struct({ met: count, missed: count, insufficient_data: count }).annotate({
    description: "How many SLOs have each result",
  }),
  nextReviewAt: Schema.optionalKey(
    time("When the next review of the same SLOs is due. Absent without one, and once it was created"),
  ),
}).annotate({ identifier: "ReviewSummary" })

/** The JSON of `reviewSummary`. */
export type ReviewSummary = (typeof reviewSummary)["Encoded"]

/** The JSON of a review. */
export type Review = JsonOf<typeof reviewDocument>

const notes = written<unknown, JsonOf<typeof reviewNotes>>(reviewNotes.schema())

const reviewReminders = Schema.Struct({
  reminders: Schema.Array(
    Schema.Struct({
      title: Schema.String,
      scope: reviewScope.schema(),
      dueAt: time("When the review is due"),
      review: optionalText("ID of the latest review of these SLOs. Absent if there is none"),
    }),
  ).annotate({ description: "Longest due first" }),
}).annotate({ identifier: "ReviewReminders" })

/** The JSON of the reviews that are due. */
export type ReviewReminders = (typeof reviewReminders)["Encoded"]

/** Signed reviews of many SLOs over periods, and their notes. */
export const reviews = resource("Reviews", {
  listReviews: {
    method: "GET",
    path: "/api/reviews",
    success: pageOf(reviewSummary, "ReviewPage"),
    summary: "List reviews",
    description: "Latest periods first.",
  },
  createReview: {
    method: "POST",
    path: "/api/reviews",
    role: "editor",
    body: reviewRequest,
    bodyAs: "json",
    success: { 201: reviewSummary.annotate({ description: "The review was created" }) },
    errors: [429],
    summary: "Create a review",
    description:
      "Creates the review of all SLOs that match the filters over a period, from what is stored now, and signs it. A review of thousands of SLOs can take a minute.",
  },
  findReview: {
    method: "GET",
    path: "/api/reviews/:id",
    query: signedQuery,
    success: [
      reviewDocument.schema(),
      Schema.String.pipe(HttpApiSchema.asText({ contentType: reportTypes.csv })),
      Schema.String.pipe(HttpApiSchema.asText({ contentType: reportTypes.html })),
    ],
    isRaw: true,
    responseHeaders: ["ETag"],
    errors: [404],
    summary: "Retrieve a review",
    description:
      "The review as JSON is always the same bytes, which are signed. CSV has a line for each objective; HTML is a page for printing.",
  },
  findReviewSignature: {
    method: "GET",
    path: "/api/reviews/:id/signature",
    success: reportSignature,
    errors: [404],
    summary: "Retrieve the signature of a review",
    description: "Includes the public key that verifies it.",
  },
  findReviewNotes: {
    method: "GET",
    path: "/api/reviews/:id/notes",
    success: notes,
    errors: [404],
    summary: "Retrieve the notes of a review",
    description:
      "Decisions and notes, and when the next review is due. Not signed. Revision 0 before notes are written.",
  },
  writeReviewNotes: {
    method: "PUT",
    path: "/api/reviews/:id/notes",
    role: "editor",
    body: reviewNotesRequest,
    bodyAs: "json",
    success: notes,
    errors: [404, 412],
    summary: "Replace the notes of a review",
    description: "Replaces the decisions, the notes and the time of the next review.",
  },
  listReviewReminders: {
    method: "GET",
    path: "/api/review-reminders",
    success: reviewReminders,
    errors: [429],
    summary: "List due reviews",
    description:
      "The reviews that are due within 7 days: the next reviews of reviewed SLOs, and the first reviews of services that have a reviewCycle but no review.",
  },
  deleteReview: {
    method: "DELETE",
    path: "/api/reviews/:id",
    role: "editor",
    success: noContent,
    errors: [404],
    summary: "Delete a review",
    description: "Deletes the review with its notes.",
  },
})
