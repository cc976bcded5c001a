import { plural } from '../texts.ts';

const words = {
  title: 'Home',
  ordersToday: 'Orders today',
  salesToday: 'Sales today',
  last30: 'Last 30 days',
  sales: 'Sales',
  orders: 'Orders',
  average: 'Average order',
  refunded: 'Refunded',
  compared: (change: string) => `${change} vs. previous 30 days`,
  chart: (total: string, days: number) => `Sales in the last ${days} days: ${total}`,
  noChart: 'No sales in the last 30 days',
  noChartHint: 'Sales appear here as soon as orders come in.',
  recentOrders: 'Recent orders',
  noOrders: 'No orders yet',
  allOrders: 'View all',
  orderNumber: (number: number) => `#${number}`,
  fulfillments: {
    unfulfilled: 'Unfulfilled',
    partially_fulfilled: 'Partially fulfilled',
    fulfilled: 'Fulfilled',
    returned: 'Returned',
  },
  cancelled: 'Cancelled',
  topProducts: 'Best sellers',
  noSales: 'No sales in the last 30 days.',
  sold: (count: string) => `${count} sold`,
  attention: 'To do',
  nothing: 'You’re all caught up.',
  tasks: {
    toFulfill: (count: number) =>
      plural('en', count, { one: 'paid order to send', other: 'paid orders to send' }),
    toCapture: (count: number) =>
      plural('en', count, { one: 'authorized order to send', other: 'authorized orders to send' }),
    unpaid: (count: number) =>
      plural('en', count, { one: 'unpaid order not sent', other: 'unpaid orders not sent' }),
    toFinish: (count: number) =>
      plural('en', count, { one: 'order sent in part', other: 'orders sent in part' }),
    returnsAsked: (count: number) =>
      plural('en', count, { one: 'return to answer', other: 'returns to answer' }),
    returnsBack: (count: number) =>
      plural('en', count, {
        one: 'returned parcel to refund or close',
        other: 'returned parcels to refund or close',
      }),
    toRefund: (count: number) =>
      plural('en', count, { one: 'cancelled order to refund', other: 'cancelled orders to refund' }),
    failed: (count: number) =>
      plural('en', count, {
        one: 'payment failed in the last 7 days',
        other: 'payments failed in the last 7 days',
      }),
    disputed: (count: number) => plural('en', count, { one: 'disputed payment', other: 'disputed payments' }),
  },
  failingEndpoint: (url: string) => `Webhook failing: ${url}`,
  lowStock: (name: string, stock: string) => `${name}: ${stock} left in stock`,
  soldOut: (name: string) => `${name} is sold out`,
  waitingApp: (name: string) => `${name} has an update that needs your approval`,
  firstSteps: 'Get your shop ready',
  progress: (done: string, all: string) => `${done} of ${all} done`,
  hideSteps: 'Hide',
  stepProduct: 'Add your first product',
  stepProductHint: 'Give it a photo, a price and stock, and set it to active.',
  addProduct: 'Add product',
  stepTheme: 'Choose your colours and fonts',
  stepThemeHint: 'Set them once; every page follows.',
  editTheme: 'Edit theme',
  stepPage: 'Publish your home page',
  stepPageHint: 'The first thing your visitors see.',
  openPages: 'Go to pages',
  stepOrder: 'Place a test order',
  stepOrderHint: 'Buy something in your shop, as a customer would.',
  done: 'Done',
};

export default words;
export type HomeWords = typeof words;
