import { useQuery } from "@tanstack/react-query"
import { Link } from "wouter"
import { bodyOf, client } from "../api/Client.ts"
import { poll } from "../api/Queries.ts"
import { Notice } from "../components/Notice.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { rich, t } from "../language/Text.tsx"

const refreshMs = 600_000

/** Reviews listed on the first page. */
const remindersMax = 3

/** The reviews that are due, if there are any; each link opens the form of the next one. */
export const ReviewReminders = () => {
  const { data } = useQuery({
    queryKey: ["review-reminders"],
    queryFn: ({ signal }) => bodyOf(client.GET("/api/review-reminders", { signal })),
    refetchInterval: poll(refreshMs),
    staleTime: refreshMs,
  })
  const reminders = data?.reminders ?? []
  if (reminders.length === 0) return null
  return (
    <Notice kind="info">
      {reminders.slice(0, remindersMax).map(({ title, scope, dueAt }) => (
        <span key={`${dueAt} ${title}`}>
          {rich("Review of {title} is due: {time}", {
            title: (
              <Link href={`/reviews?${new URLSearchParams({ create: "", ...scope }).toString()}`}>
                <bdi>{title}</bdi>
              </Link>
            ),
            time: <DateTime at={dueAt} />,
          })}
        </span>
      ))}
      {reminders.length > remindersMax && (
        <span>
          {t("{count, plural, one {# more review is due.} other {# more reviews are due.}}", {
            count: reminders.length - remindersMax,
          })}
        </span>
      )}
    </Notice>
  )
}
