/** Reports and reviews: signed summaries of one SLO, or of many, over a period. */
export { createReview, ReviewRequestIsInvalid, reviewRequest } from "../../report/CreateReview.ts"
export { createReport, reportRequest, ReportRequestIsInvalid } from "../../report/CreateReport.ts"
export {
  generateReport,
  type GeneratedReport,
  ReportCannotBeGenerated,
  SavedReportNotFound,
} from "../../report/GenerateReport.ts"
export { generatedReport, generatedReports, type ReportType } from "../../report/GeneratedReport.ts"
export { findReport, findReportSignature, listReports, ReportNotFound } from "../../report/ListReports.ts"
export {
  deleteReview,
  findReview,
  findReviewNotes,
  findReviewSignature,
  listReviews,
  ReviewNotesHaveChanged,
  ReviewNotFound,
  writeReviewNotes,
} from "../../report/ListReviews.ts"
export { makeReports } from "../../report/MakeReports.ts"
export {
  type Report,
  type ReportAdjustment,
  type ReportAlert,
  type ReportDocument,
  reportDocument,
  type ReportMeasurement,
  type ReportSummary,
} from "../../report/Report.ts"
export {
  findRecentReliability,
  type RecentFigure,
  type RecentReliability,
} from "../../report/RecentReliability.ts"
export { type ReportResult, reportResults, statedResult } from "../../report/ReportResult.ts"
export {
  type Review,
  type ReviewDocument,
  reviewDocument,
  type ReviewedSlo,
  type ReviewedTrack,
  type ReviewHead,
  reviewHead,
  reviewLines,
  type ReviewScope,
  reviewScope,
  reviewSlo,
  type ReviewSummary,
} from "../../report/Review.ts"
export {
  type ReviewNotes,
  reviewNotes,
  reviewNotesRequest,
  type WrittenNotes,
} from "../../report/ReviewNotes.ts"
export { listReviewReminders, type ReviewReminder } from "../../report/ReviewReminders.ts"
export type { SignedDocument } from "../../report/SignDocument.ts"
