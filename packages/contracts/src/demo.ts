/** The account that reviews apps where there is a demo, `decisions.md 7.5, 9.3`. */
export const demoReviewer = 'reviewer@example.com';
