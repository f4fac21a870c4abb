import type { Catalogue } from "./messages/Catalogue.ts"

/** The languages of the console, in their own words. A language other than English has a catalogue of its name. */
export const languages = { en: "English", de: "Deutsch" } as const

export type Language = keyof typeof languages

const storageKey = "tocsin.language"

const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)

/** What the user has chosen; otherwise, the first language of the browser that the console has. */
const chosenLanguage = (): Language => {
  const preferred = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())
  return [localStorage.getItem(storageKey) ?? "", ...preferred].find(isLanguage) ?? "en"
}

let language: Language = "en"
let catalogue: Catalogue = {}

/** Loads the messages of the user's language. To be called once, before anything is drawn. */
export const loadLanguage = async (): Promise<void> => {
  language = chosenLanguage()
  document.documentElement.lang = language
  if (language !== "en") catalogue = (await import("./messages/de.ts")).default
}

export const currentLanguage = (): Language => language

/** Chooses a language, and draws everything again in it. */
export const chooseLanguage = (chosen: Language): void => {
  localStorage.setItem(storageKey, chosen)
  location.reload()
}

/** The message itself where there is no translation. */
export const translationOf = (message: string): string => catalogue[message] ?? message
