/** How the feed of a status page and what its subscribers are sent announce posts and planned maintenance. Source: spec/status-pages §4. */
import { bytesToHex } from "../codec/Hex.ts"
import type { IncidentStatus } from "../incident/Incident.ts"
import type { Digest } from "../signature/Sha256.ts"
import type { ComponentName, PlannedMaintenance, PostedIncident, PublishedPost } from "./PublishedPosts.ts"

/** A post or planned maintenance. */
export interface Announcement {
  /** Identifies it for readers: 32 hexadecimal digits. */
  readonly id: string
  /** One line. It is not HTML. */
  readonly heading: string
  /** It is not HTML. */
  readonly text: string
}

/** The path of the status page of a slug, under the public base URL. */
export const statusPagePath = (slug: string): string => `/status/${slug}`

/** How people read the status of an incident. */
export const incidentStatusNames: Readonly<Record<IncidentStatus, string>> = {
  investigating: "Investigating",
  identified: "Identified",
  monitoring: "Monitoring",
  resolved: "Resolved",
}

/** The name of a component, such as `Component 1` of one without a display name. */
export const componentText = (name: ComponentName): string =>
  typeof name === "number" ? `Component ${name}` : name

/** When planned maintenance ends that has no end in sight. */
export const untilNotice = "until further notice"

/** Identifies something on a page for readers, without its own ID, which another system may have given. */
export const publicId = (sha256: Digest, slug: string, id: string): string =>
  bytesToHex(sha256(new TextEncoder().encode(`${slug} ${id}`))).slice(0, 32)

/** Announces a post of an incident. */
export const announcedPost = (
  sha256: Digest,
  slug: string,
  { id, components }: Pick<PostedIncident, "id" | "components">,
  post: PublishedPost,
): Announcement => ({
  id: publicId(sha256, slug, `${id} ${post.id}`),
  heading: `${components.map(componentText).join(", ")}: ${incidentStatusNames[post.status]}`,
  text: post.text,
})

/** Announces planned maintenance: another time, or other components at the same time, are another announcement. */
export const announcedMaintenance = (
  sha256: Digest,
  slug: string,
  { title, components, from, to }: PlannedMaintenance,
  timeText: (ms: number) => string,
): Announcement => {
  const names = components.map(componentText).join(", ")
  return {
    id: publicId(sha256, slug, `maintenance ${from} ${to ?? ""} ${title} ${names}`),
    heading: `Planned maintenance: ${title}`,
    text: `${names}. From ${timeText(from)} ${to === undefined ? untilNotice : `to ${timeText(to)}`}.`,
  }
}
