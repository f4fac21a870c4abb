import type { ReviewSummary } from "@tocsin/api"
import { useState } from "react"
import { useLocation } from "wouter"
import { bodyOf, client } from "../api/Client.ts"
import { usePages } from "../api/Queries.ts"
import { AddButton } from "../components/AddButton.tsx"
import { EmptyState } from "../components/EmptyState.tsx"
import { useFilters } from "../components/Filters.tsx"
import { RowLink } from "../components/ListTable.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import { ListPage } from "../lists/ListPage.tsx"
import { Range } from "../reports/ReportParts.tsx"
import { useIsEditor } from "../session/Session.ts"
import { CreateReview } from "./CreateReview.tsx"
import { ResultsText } from "./ReviewResults.tsx"

/** The reviews of the organization. The address can open the form of a new one, for the SLOs of a scope. */
const ReviewsPage = () => {
  const isEditor = useIsEditor()
  const [, navigate] = useLocation()
  const { values } = useFilters(["project", "service", "labels", "search", "view"])
  const [isCreating, setIsCreating] = useState(() => new URLSearchParams(location.search).has("create"))
  const { query, items } = usePages(["reviews"], (cursor, signal) =>
    bodyOf(client.GET("/api/reviews", { params: { query: { limit: 100, cursor } }, signal })),
  )
  const create = isEditor && <AddButton onClick={() => setIsCreating(true)}>{t("Create review")}</AddButton>
  return (
    <ListPage
      title={t("Reviews")}
      subtitle={t("Signed reviews of many SLOs over a period, with decisions and the date of the next one.")}
      actions={(items?.length ?? 0) > 0 && create}
      above={
        isCreating &&
        isEditor && (
          <CreateReview
            scope={values}
            onClose={() => setIsCreating(false)}
            onDone={(id) => navigate(`/reviews/${id}`)}
          />
        )
      }
      query={query}
      items={items}
      more={t("Load older reviews")}
      keyOf={({ id }: ReviewSummary) => id}
      empty={
        <EmptyState title={t("No reviews yet")}>
          <p>{t("A review states which SLOs of a service, a project or a label were met over a period.")}</p>
          {create}
        </EmptyState>
      }
      columns={[
        {
          name: t("Title"),
          cell: ({ id, title }) => (
            <RowLink href={`/reviews/${id}`}>
              <bdi>{title}</bdi>
            </RowLink>
          ),
        },
        { name: t("Period"), isLabeled: true, cell: ({ period }) => <Range range={period} /> },
        { name: t("Results"), isLabeled: true, cell: ({ results }) => <ResultsText results={results} /> },
        {
          name: t("Next review"),
          isLabeled: true,
          cell: ({ nextReviewAt }) => nextReviewAt !== undefined && <DateTime at={nextReviewAt} />,
        },
      ]}
    />
  )
}
export default ReviewsPage
