/* Every kind of test that --gtest_list_tests spells differently. */
#include <gtest/gtest.h>

TEST(Plain, Passes)
{
}

TEST(Plain, Fails)
{
	EXPECT_EQ(1, 2);
}

TEST(Plain, Skips)
{
	GTEST_SKIP() << "not here";
}

TEST(Plain, DISABLED_Never)
{
	FAIL();
}

class Parameter : public testing::TestWithParam<const char *>
{
};

TEST_P(Parameter, HasText)
{
	EXPECT_STRNE(GetParam(), "");
}

INSTANTIATE_TEST_SUITE_P(
	Texts, Parameter, testing::Values("word", "two words", "semi;colon", "\"q\"", "$x[1]"));

template <class T> class Typed : public testing::Test
{
};
typedef testing::Types<int, const char *> types;
TYPED_TEST_SUITE(Typed, types);
TYPED_TEST(Typed, HasSize)
{
	EXPECT_GT(sizeof(TypeParam), 0u);
}
