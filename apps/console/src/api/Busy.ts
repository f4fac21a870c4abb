let reading = 0

/** Tells readers of the screen that the page is being filled, while anything is read for the first time. */
export const whileFilling = async <T>(answer: Promise<T>): Promise<T> => {
  reading += 1
  tell()
  try {
    return await answer
  } finally {
    reading -= 1
    tell()
  }
}

const tell = (): void => {
  document.getElementById("content")?.setAttribute("aria-busy", `${reading > 0}`)
}
