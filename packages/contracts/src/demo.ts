/** The account that reviews apps in a demo, `decisions.md 7.5, 9.3`. */
export const demoReviewer = 'reviewer@example.com';
