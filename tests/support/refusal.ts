import { AppError } from "../../src/errors.ts";

/** What a call is refused with. It fails where the call is not refused. */
export async function refusalOf(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error("not refused", { cause: error });
  return error;
}
