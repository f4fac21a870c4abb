import { Stack } from "@mantine/core"
import css from "./Skeleton.module.css"

/** In the place of what is being loaded. Has the height of the first rows, so that nothing moves when they are there. */
export const Skeleton = () => (
  <div className={css.skeleton} aria-hidden="true">
    {Array.from({ length: 8 }, (_, index) => (
      <span key={index} />
    ))}
  </div>
)

/** In the place of a page whose code is being loaded. */
export const PageSkeleton = () => (
  <Stack gap="lg" mt="2xs">
    <div className={css.heading} aria-hidden="true" />
    <Skeleton />
  </Stack>
)
