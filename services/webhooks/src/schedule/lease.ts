/** How long a delivery that was handed over may take before it is handed over again. */
export const leaseSeconds = 30;
