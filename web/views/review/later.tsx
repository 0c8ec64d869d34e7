import { laterView } from "../parts/lazy.tsx";

/** The views of the review, which come when the first of them is opened. */
export const ReviewList = laterView(async () => (await import("./screen.tsx")).ReviewList);
export const ReviewActions = laterView(async () => (await import("./screen.tsx")).ReviewActions);
export const ReviewPass = laterView(async () => (await import("./pass.tsx")).ReviewPass);
export const ReviewPlan = laterView(async () => (await import("./plan.tsx")).ReviewPlan);
