import { storedChoice } from "./StoredChoice.ts"

/** How close the rows of tables and lists are. The style sheets have the sizes; phones show cards of one size. */
export type Density = "comfortable" | "compact"

const apply = (value: Density): void => {
  document.documentElement.dataset.density = value
}

const density = storedChoice<Density>("tocsin.density", ["comfortable", "compact"], apply)

export const chooseDensity = density.choose

/** The chosen density. The app calls it for all. */
export const useDensity = density.useChoice

/** Applies what was chosen earlier. To be called once, before anything is drawn. */
export const applyDensity = (): void => apply(density.read())
