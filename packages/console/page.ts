/** Returns the page of the console. `head` is what loads its scripts and styles. */
export const renderConsolePage = (head: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Waybill</title>
<link rel="icon" href="data:,">
${head}
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript. The API does not: /docs</noscript>
</body>
</html>
`;
