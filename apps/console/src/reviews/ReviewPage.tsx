import type { Review } from "@tocsin/api"
import { Button } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useLocation } from "wouter"
import { bodyOf, client } from "../api/Client.ts"
import { ConfirmButton } from "../components/Dialog.tsx"
import { ErrorNotice, QueryError } from "../components/ErrorNotice.tsx"
import { ListTable } from "../components/ListTable.tsx"
import { budgetText, countText, reliabilityText, shareText, targetText } from "../components/NumberFormat.ts"
import { Card, DescriptionList, Page } from "../components/Page.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"
import {
  budgetFigure,
  figureColumn,
  reliabilityFigure,
  reportedObjectives,
  shareFigure,
} from "../reports/ReportFigures.tsx"
import { Adjustments, badgeOf, Range, SignedFiles, useSigned } from "../reports/ReportParts.tsx"
import { SloName, useShown } from "../reports/ReportedSlos.tsx"
import { SignatureCard } from "../reports/SignatureCard.tsx"
import { useIsEditor } from "../session/Session.ts"
import { NotesCard, SloNote, useNotes } from "./ReviewNotes.tsx"
import { ResultsText } from "./ReviewResults.tsx"
import { WeekBars } from "./WeekBars.tsx"

type ReviewedSlo = Review["slos"][number]

/** A review: which SLOs were met, what was decided, and what was signed. */
const ReviewPage = ({ id }: { readonly id: string }) => {
  const query = useSigned<Review>("review", id)
  const isEditor = useIsEditor()
  const { data } = query
  const back = { href: "/reviews", text: t("Reviews") }
  if (data === undefined) {
    return (
      <Page title={t("Review")} back={back}>
        <QueryError query={query} missing={t("Review not found. Check its ID.")} />
      </Page>
    )
  }
  const { document: review, text } = data
  return (
    <Page
      title={review.title}
      back={back}
      subtitle={<Range range={review.period} />}
      actions={
        <>
          <SignedFiles of="review" id={id} />
          {isEditor && <DeleteReview id={id} />}
        </>
      }
    >
      <ReviewedSlos review={review} id={id} />
      <NotesCard review={review} />
      <Card title={t("About this review")}>
        <DescriptionList
          properties={[
            [t("Results"), <ResultsText results={review.results} />],
            [t("SLOs"), scopeText(review.scope)],
            [t("Period"), <Range range={review.period} />],
            [
              t("Period before"),
              review.previous === undefined ? (
                t("No counts are stored for this period.")
              ) : (
                <Range range={review.previous} />
              ),
            ],
            [t("Minimum coverage"), shareText(review.minCoverage)],
            [t("Created"), <DateTime at={review.createdAt} />],
          ]}
        />
      </Card>
      <Adjustments {...review} />
      <SignatureCard id={id} text={text} of="review" />
    </Page>
  )
}
export default ReviewPage

const DeleteReview = ({ id }: { readonly id: string }) => {
  const [, navigate] = useLocation()
  const queryClient = useQueryClient()
  return (
    <ConfirmButton
      label={t("Delete review")}
      title={t("Delete this review?")}
      color="red"
      action={async () => {
        await client.DELETE("/api/reviews/{id}", { params: { path: { id } } })
        navigate("/reviews")
        queryClient.removeQueries({ queryKey: ["review", id] })
        for (const queryKey of [["reviews"], ["review-reminders"]])
          await queryClient.invalidateQueries({ queryKey })
      }}
    >
      <p>{t("Its notes are deleted with it, and there are no more reminders of the next review.")}</p>
    </ConfirmButton>
  )
}

const scopeText = ({ project, service, labels, search, view }: Review["scope"]): string => {
  const parts = [
    ...(project === undefined ? [] : [t("Project {name}", { name: project })]),
    ...(service === undefined ? [] : [t("Service {name}", { name: service })]),
    ...(labels === undefined ? [] : [t("Labels {labels}", { labels })]),
    ...(search === undefined ? [] : [t("Name with “{text}”", { text: search })]),
    ...(view === undefined ? [] : [t("Saved view: {name}", { name: view })]),
  ]
  return parts.length === 0 ? t("All SLOs") : parts.join(", ")
}

/** The objective that decides where the SLO is in the list. */
const decisive = (slo: ReviewedSlo) => {
  const all = reportedObjectives(slo)
  const budgetOf = ({ errorBudgetRemainingPercentage = Infinity }: (typeof all)[number]) =>
    errorBudgetRemainingPercentage
  const [worst] = all
    .filter((each) => each.result === slo.result)
    .toSorted((a, b) => budgetOf(a) - budgetOf(b))
  return worst
}

/** The SLOs of a review, or of the history of a saved report, which has no notes. */
export const ReviewedSlos = ({
  review,
  id,
}: {
  readonly review: Pick<Review, "slos" | "weeks" | "period" | "minCoverage" | "hasMoreAlerts">
  readonly id?: string
}) => {
  const { shown, query } = useShown(review.slos)
  const isEditor = useIsEditor()
  const { notes } = useNotes(id)
  const rows = shown.map((slo) => ({ slo, objective: decisive(slo) }))
  const before = (figure: number | undefined, textOf: (figure: number) => string) =>
    figure !== undefined && (
      <div className="dim small one-line">{t("before: {value}", { value: textOf(figure) })}</div>
    )
  return (
    <Card title={t("SLOs")}>
      <p className="dim">
        {t(
          "The worst SLOs are first, each with its worst objective. Below {min} coverage, an objective is missed or has insufficient data.",
          {
            min: shareText(review.minCoverage),
          },
        )}
      </p>
      <div className="wide-table">
        <ListTable
          query={query}
          items={rows}
          label={t("SLOs")}
          more={t("Show more SLOs")}
          keyOf={({ slo: { project, slo } }) => `${project}/${slo}`}
          empty={null}
          isInCard
          columns={[
            {
              name: t("SLO"),
              cell: ({ slo, objective }) => (
                <SloName slo={slo}>
                  {objective !== undefined && (
                    <>
                      : <bdi>{objective.displayName}</bdi> {targetText(objective.target)}
                    </>
                  )}
                </SloName>
              ),
            },
            { name: t("Result"), cell: ({ slo }) => <StatusBadge status={badgeOf[slo.result]} /> },
            {
              ...figureColumn(t("SLI")),
              cell: ({ objective: { reliability, previous } = {} }) => (
                <>
                  {reliabilityFigure(reliability)}
                  {before(previous?.reliability, (figure) => reliabilityText(figure))}
                </>
              ),
            },
            {
              ...figureColumn(t("Error budget")),
              cell: ({ objective: { errorBudgetRemainingPercentage: budget, previous } = {} }) => (
                <>
                  {budgetFigure(budget)}
                  {before(previous?.errorBudgetRemainingPercentage, (figure) => budgetText(figure))}
                </>
              ),
            },
            {
              name: t("Burned by week"),
              isLabeled: true,
              cell: ({ objective }) =>
                objective !== undefined && <WeekBars weeks={review.weeks} spent={objective.weeks} />,
            },
            {
              ...figureColumn(t("Coverage")),
              cell: ({ slo, objective: { coverage } = {} }) => (
                <>
                  {shareFigure(coverage)}
                  {slo.adjustedMinutes > 0 && (
                    <div className="dim small">
                      {t("Adjusted minutes")}: {countText(slo.adjustedMinutes)}
                    </div>
                  )}
                </>
              ),
            },
            { ...figureColumn(t("Alerts")), cell: ({ slo }) => countText(slo.alerts) },
            {
              name: t("Details"),
              cell: ({ slo }) => (
                <>
                  <ReportOfSlo slo={slo} review={review} />
                  {id !== undefined && notes !== undefined && isEditor && (
                    <SloNote id={id} slo={slo} notes={notes} />
                  )}
                </>
              ),
            },
          ]}
        />
      </div>
      {review.hasMoreAlerts && (
        <p className="dim small">{t("Some SLOs have more alerts than were counted.")}</p>
      )}
    </Card>
  )
}

/** Opens the report of an SLO over the period of the review, which an editor can create. */
const ReportOfSlo = ({
  slo: { project, slo },
  review: { period },
}: {
  readonly slo: ReviewedSlo
  readonly review: Pick<Review, "period">
}) => {
  const isEditor = useIsEditor()
  const [, navigate] = useLocation()
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async () => {
      const to = new Date(Date.parse(period.from) + 1).toISOString()
      const listed = await bodyOf(
        client.GET("/api/reports", { params: { query: { project, slo, from: period.from, to } } }),
      )
      const found = listed.data.find((each) => each.period.to === period.to)
      if (found === undefined && !isEditor) return "missing"
      const body = { project, slo, ...period }
      const { id } = found ?? (await bodyOf(client.POST("/api/reports", { body })))
      navigate(`/reports/${id}`)
      return "found"
    },
  })
  return (
    <>
      <Button variant="subtle" size="compact-sm" loading={isPending} onClick={() => mutate()}>
        {t("Open report")}
      </Button>
      {data === "missing" && (
        <p className="dim small" role="status">
          {t("An editor has to create it.")}
        </p>
      )}
      {error !== null && <ErrorNotice error={error} />}
    </>
  )
}
